# expect: bad_output
# detail: header
with open("submission.csv", "w", encoding="utf-16") as stream:
    stream.write("id,pred\n1,x\n")
