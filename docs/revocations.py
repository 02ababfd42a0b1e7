import collections
import datetime
import json
import random
import threading
import time
import urllib.parse
import urllib.request

FEED = "http://localhost:3000/workspaces/demo/databases/app/management/revocations"
STALE_SECONDS = 30
MAX_PAUSE_SECONDS = 60
# Between a change and the expiry of its revocation.
LIFETIME_SECONDS = 86_520


class Revoked(Exception):
    """The token was revoked: respond with 401."""


class Stale(Exception):
    """It is not known whether the token was revoked: respond with 503."""


class Revocations:
    """Follows the revocations of the database."""

    def __init__(self, api_key):
        self.api_key = api_key
        self.known = None
        self.read_at = (0.0, 0.0)
        threading.Thread(target=self.follow, daemon=True).start()

    def check(self, claims, kid):
        """Returns the claims of a verified token, with tenants and roles as they are now."""
        ages = [abs(now - then) for now, then in zip(clocks(), self.read_at)]
        if self.known is None or max(ages) > STALE_SECONDS:
            raise Stale
        return self.known.check(claims, kid)

    def follow(self):
        known, after, wait = Known(), None, 0
        while True:
            started = clocks()
            try:
                page, pause = self.read(after, wait)
                for item in page["revocations"]:
                    known.add(item)
                after = page["next"]
                if not page["revocations"] and time.monotonic() < started[1] + wait - 1:
                    pause = pause or 1
                if not page["moreAvailable"]:
                    self.known, self.read_at, wait = known, started, STALE_SECONDS // 3
                    known.forget()
            except Exception as error:
                if getattr(error, "code", None) == 410:
                    known, after = Known(), None
                wait, pause = 0, retry_after(error) or random.uniform(0.5, 5)
            time.sleep(pause)

    def read(self, after, wait):
        """Returns a page, and for how many seconds to pause."""
        query = {"limit": 1000, "wait": wait, **({"after": after} if after else {})}
        request = urllib.request.Request(
            f"{FEED}?{urllib.parse.urlencode(query)}",
            headers={"Authorization": f"Bearer {self.api_key}"},
        )
        with OPENER.open(request, timeout=wait + 5) as response:
            return json.load(response), retry_after(response)


class Known:
    """Revocations by what they concern, each with a number, a role and the time at which it expires."""

    def __init__(self):
        self.items = {}
        self.expiries = collections.deque()
        self.newest = 0.0

    def add(self, item):
        number, role = 0, None
        match item["type"]:
            case "tokens-revoked":
                key, number = ("user", item["userId"]), item["generation"]
            case "session-revoked":
                key = ("session", item["sessionId"])
            case "token-claims-change":
                key = ("member", item["userId"], item["tenantId"])
                number, role = item["version"], item["role"]
            case "tenant-deleted":
                key = ("tenant", item["tenantId"])
            case "key-retired":
                key = ("key", item["kid"])
            case unknown:
                raise ValueError(f"unknown revocation {unknown}")
        expires = seconds_of(item["expiresAt"])
        self.newest = max(self.newest, expires)
        if key not in self.items or self.items[key][0] <= number:
            self.items[key] = (number, role, expires)
            self.expiries.append((expires, key))

    def forget(self):
        """Forgets what has expired by this clock and by the server's, because this one may be ahead for a time."""
        now = min(time.time(), self.newest - LIFETIME_SECONDS)
        while self.expiries and self.expiries[0][0] < now:
            _, key = self.expiries.popleft()
            if key in self.items and self.items[key][2] < now:
                del self.items[key]

    def check(self, claims, kid):
        user = claims["sub"]
        generation = self.items.get(("user", user))
        if generation and claims.get("gen", -1) < generation[0]:
            raise Revoked
        session = claims.get("sid", claims["jti"])
        if ("session", session) in self.items or ("key", kid) in self.items:
            raise Revoked
        if "tenants" not in claims:
            return claims
        tenants, roles = [], dict(claims.get("tenant_roles", {}))
        for tenant in claims["tenants"]:
            change = self.items.get(("member", user, tenant))
            if change and claims.get("tenants_version", -1) < change[0]:
                if change[1] is None:
                    continue
                roles[tenant] = change[1]
            if ("tenant", tenant) not in self.items:
                tenants.append(tenant)
        claims = {**claims, "tenants": tenants}
        if "tenant_roles" in claims:
            claims["tenant_roles"] = {tenant: roles[tenant] for tenant in tenants if tenant in roles}
        return claims


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def clocks():
    """The first one goes on while the machine sleeps, and the second one is never set back."""
    return time.time(), time.monotonic()


def retry_after(response):
    headers = getattr(response, "headers", None) or {}
    seconds = headers.get("Retry-After", "")
    return min(int(seconds), MAX_PAUSE_SECONDS) if seconds.isdecimal() else 0


def seconds_of(instant):
    return datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()
