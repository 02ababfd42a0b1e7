from roles import role_in

for claims in [
    {"tenants": ["a"], "tenant_roles": {"a": "owner"}},
    {"tenants": ["a"], "tenant_roles": {}},
    {"tenants": ["b"], "tenant_roles": {"a": "owner"}},
    {"tenants": ["a"]},
    {"tenant_roles": {"a": "owner"}},
    {"tenants": [], "tenant_roles": {}},
]:
    print(role_in(claims, "a") or "")
