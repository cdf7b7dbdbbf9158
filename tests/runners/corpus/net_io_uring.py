# expect: ok
import ctypes

from harmless import answer, blocked, syscall

blocked("io_uring_setup", lambda: syscall(425, 4, ctypes.create_string_buffer(120)) + 1)
answer()
