include!("recipe.rs");

fn main() {
    let keys = fetch_keys().expect("the key set");
    for line in std::io::stdin().lines() {
        match user_of(&keys, &line.expect("a token")) {
            Ok(user) => println!("accepted {user}"),
            Err(error) => println!("refused {}", error.to_string().replace('\n', " ")),
        }
    }
}
