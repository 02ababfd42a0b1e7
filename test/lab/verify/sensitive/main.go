package main

import (
	"encoding/json"
	"fmt"
	"time"
)

func main() {
	now := time.Now().Unix()
	for _, text := range []string{
		fmt.Sprintf(`{"acr": "aal2", "auth_time": %d}`, now-30),
		fmt.Sprintf(`{"acr": "aal2", "auth_time": %d}`, now+10),
		fmt.Sprintf(`{"acr": "aal2", "auth_time": %d}`, now-601),
		fmt.Sprintf(`{"acr": "aal1", "auth_time": %d}`, now),
		fmt.Sprintf(`{"auth_time": %d}`, now),
		`{"acr": "aal2"}`,
	} {
		var claims map[string]any
		if err := json.Unmarshal([]byte(text), &claims); err != nil {
			panic(err)
		}
		if isRecent(claims, 600*time.Second) {
			fmt.Println("recent")
		} else {
			fmt.Println()
		}
	}
}
