mod roles;

use roles::{Tenants, role_in};

fn main() {
    let tenants = |id: &str| Some(vec![id.to_string()]);
    let owner = || Some([("a".to_string(), "owner".to_string())].into());
    for claims in [
        Tenants { tenants: tenants("a"), tenant_roles: owner() },
        Tenants { tenants: tenants("a"), tenant_roles: Some([].into()) },
        Tenants { tenants: tenants("b"), tenant_roles: owner() },
        Tenants { tenants: tenants("a"), ..Default::default() },
        Tenants { tenant_roles: owner(), ..Default::default() },
        Tenants { tenants: Some(vec![]), tenant_roles: Some([].into()) },
    ] {
        println!("{}", role_in(&claims, "a").unwrap_or_default());
    }
}
