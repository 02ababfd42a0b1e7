package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// main prints the tenants and roles of each token whose claims and kid it reads, or why the token is refused.
func main() {
	followed := followRevocations(os.Args[1])
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var claims map[string]any
		var kid string
		if err := json.Unmarshal(lines.Bytes(), &[]any{&claims, &kid}); err != nil {
			panic(err)
		}
		now, err := followed.check(claims, kid)
		var result any = []any{now["tenants"], now["tenant_roles"]}
		if errors.Is(err, errRevoked) {
			result = "Revoked"
		} else if err != nil {
			result = "Stale"
		}
		text, _ := json.Marshal(result)
		fmt.Println(string(text))
	}
}
