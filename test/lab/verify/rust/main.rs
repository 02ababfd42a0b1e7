include!("recipe.rs");

fn main() {
    for line in std::io::stdin().lines() {
        match claims_of(&line.expect("a token")) {
            Ok(claims) => println!("accepted {}", claims.sub),
            Err(error) => println!("refused {}", error.to_string().replace('\n', " ")),
        }
    }
}
