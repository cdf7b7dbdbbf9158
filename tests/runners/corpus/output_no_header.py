# expect: bad_output
# detail: line 1
with open("submission.csv", "w") as stream:
    stream.write("1,x\n2,y\n")
