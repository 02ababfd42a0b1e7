include!("recipe.rs");

fn main() {
    for line in std::io::stdin().lines() {
        match user_of(&line.expect("a token")) {
            Ok(user) => println!("accepted {user}"),
            Err(error) => println!("refused {}", error.to_string().replace('\n', " ")),
        }
    }
}
