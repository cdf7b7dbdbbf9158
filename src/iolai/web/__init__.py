"""Pages and the API: requests in, calls of the challenge, pages out; no rule of its own."""
