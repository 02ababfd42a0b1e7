import sys

from recipe import verify_token

for line in sys.stdin:
    try:
        claims, _ = verify_token(line.strip())
        print("accepted", claims["sub"], flush=True)
    except Exception as error:
        print("refused", " ".join(str(error).split()), flush=True)
