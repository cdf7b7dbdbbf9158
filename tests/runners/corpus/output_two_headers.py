# expect: bad_output
# detail: the column 'id' twice
open("submission.csv", "w").write("id,pred,id,pred\n1,a,1,b\n")
