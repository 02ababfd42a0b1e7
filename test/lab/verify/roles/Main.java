import java.util.*;

class Main {
    public static void main(String[] args) {
        Map<String, String> owner = Map.of("a", "owner");
        for (Map<String, Object> claims : List.<Map<String, Object>>of(
                Map.of("tenants", List.of("a"), "tenant_roles", owner),
                Map.of("tenants", List.of("a"), "tenant_roles", Map.of()),
                Map.of("tenants", List.of("b"), "tenant_roles", owner),
                Map.of("tenants", List.of("a")),
                Map.of("tenant_roles", owner),
                Map.of("tenants", List.of(), "tenant_roles", Map.of()))) {
            System.out.println(Roles.roleIn(claims, "a").orElse(""));
        }
    }
}
