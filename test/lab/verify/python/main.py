import sys

from recipe import user_of

for line in sys.stdin:
    try:
        print("accepted", user_of(line.strip()), flush=True)
    except Exception as error:
        print("refused", " ".join(str(error).split()), flush=True)
