import java.util.*;

class Main {
    public static void main(String[] args) {
        long now = System.currentTimeMillis() / 1000;
        for (Map<String, Object> claims : List.<Map<String, Object>>of(
                Map.of("acr", "aal2", "auth_time", now - 30),
                Map.of("acr", "aal2", "auth_time", now + 10),
                Map.of("acr", "aal2", "auth_time", now - 601),
                Map.of("acr", "aal1", "auth_time", now),
                Map.of("auth_time", now),
                Map.of("acr", "aal2"))) {
            System.out.println(SensitiveActions.isRecent(claims, 600) ? "recent" : "");
        }
    }
}
