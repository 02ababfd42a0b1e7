import java.util.Scanner;

class Main {
    public static void main(String[] args) throws Exception {
        var tokens = new AccessTokens();
        for (var lines = new Scanner(System.in); lines.hasNextLine(); ) {
            try {
                System.out.println("accepted " + tokens.claimsOf(lines.nextLine()).get("sub"));
            } catch (Exception error) {
                System.out.println("refused " + String.valueOf(error.getMessage()).replaceAll("\\s+", " "));
            }
            System.out.flush();
        }
    }
}
