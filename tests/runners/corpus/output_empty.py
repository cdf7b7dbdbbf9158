# expect: no_output
open("submission.csv", "w").close()
