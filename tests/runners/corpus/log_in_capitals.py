# expect: ok
import csv
import unicodedata

from harmless import answer

for row in csv.DictReader(open("/tmp/data/test.csv", newline="")):
    for text in (row["context"].upper(), row["query"].title()):
        print(unicodedata.normalize("NFD", text))
    for word in row["context"].split():
        print(word)
answer()
