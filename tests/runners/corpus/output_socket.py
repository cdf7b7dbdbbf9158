# expect: bad_output
# detail: socket
import socket

socket.socket(socket.AF_UNIX).bind("submission.csv")
