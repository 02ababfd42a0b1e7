package main

import (
	"encoding/json"
	"fmt"
)

func main() {
	for _, text := range []string{
		`{"tenants": ["a"], "tenant_roles": {"a": "owner"}}`,
		`{"tenants": ["a"], "tenant_roles": {}}`,
		`{"tenants": ["b"], "tenant_roles": {"a": "owner"}}`,
		`{"tenants": ["a"]}`,
		`{"tenant_roles": {"a": "owner"}}`,
		`{"tenants": [], "tenant_roles": {}}`,
	} {
		var claims map[string]any
		if err := json.Unmarshal([]byte(text), &claims); err != nil {
			panic(err)
		}
		fmt.Println(roleIn(claims, "a"))
	}
}
