# expect: no_output
print("done")
