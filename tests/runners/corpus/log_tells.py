# expect: ok
# log: a safe line with a number 12345
import json

from harmless import TARGET, answer

text = open("/tmp/data/test.csv", encoding="utf-8").read()
print(text)
print(json.dumps(text), repr(text))
print(text[10:60])
print("\x1b]0;a title\x07\x1b[2J\x1b[31mred\x1b[0m \x9b31m\x07bell\x08 bar 1\rbar 2")
print("a safe line with a number 12345")
answer()
