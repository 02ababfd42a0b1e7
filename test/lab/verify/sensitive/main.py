import time

from sensitive import is_recent

now = int(time.time())
for claims in [
    {"acr": "aal2", "auth_time": now - 30},
    {"acr": "aal2", "auth_time": now + 10},
    {"acr": "aal2", "auth_time": now - 601},
    {"acr": "aal1", "auth_time": now},
    {"auth_time": now},
    {"acr": "aal2"},
]:
    print("recent" if is_recent(claims, 600) else "")
