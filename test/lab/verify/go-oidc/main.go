package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
)

func main() {
	verify, err := newVerifier(context.Background())
	if err != nil {
		panic(err)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if user, err := verify(lines.Text()); err == nil {
			fmt.Println("accepted", user)
		} else {
			fmt.Println("refused", strings.Join(strings.Fields(err.Error()), " "))
		}
	}
}
