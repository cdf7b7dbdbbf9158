# expect: bad_output
# detail: no row names a task
with open("submission.csv", "w") as stream:
    stream.write("id,pred\n9,x\n8,y\n")
