mod roles;

use roles::role_in;
use std::collections::HashMap;

#[derive(Default)]
pub struct Claims {
    tenants: Option<Vec<String>>,
    tenant_roles: Option<HashMap<String, String>>,
}

fn main() {
    let tenants = |id: &str| Some(vec![id.to_string()]);
    let owner = || Some([("a".to_string(), "owner".to_string())].into());
    for claims in [
        Claims { tenants: tenants("a"), tenant_roles: owner() },
        Claims { tenants: tenants("a"), tenant_roles: Some([].into()) },
        Claims { tenants: tenants("b"), tenant_roles: owner() },
        Claims { tenants: tenants("a"), ..Default::default() },
        Claims { tenant_roles: owner(), ..Default::default() },
        Claims { tenants: Some(vec![]), tenant_roles: Some([].into()) },
    ] {
        println!("{}", role_in(&claims, "a").unwrap_or_default());
    }
}
