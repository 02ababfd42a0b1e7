mod sensitive;

use sensitive::is_recent;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub struct Claims {
    acr: Option<String>,
    auth_time: Option<u64>,
}

fn main() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for (acr, auth_time) in [
        (Some("aal2"), Some(now - 30)),
        (Some("aal2"), Some(now + 10)),
        (Some("aal2"), Some(now - 601)),
        (Some("aal1"), Some(now)),
        (None, Some(now)),
        (Some("aal2"), None),
    ] {
        let claims = Claims { acr: acr.map(String::from), auth_time };
        println!("{}", if is_recent(&claims, Duration::from_secs(600)) { "recent" } else { "" });
    }
}
