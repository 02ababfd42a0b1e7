package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
)

func main() {
	verify := newVerifier(context.Background())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if claims, _, err := verify(lines.Text()); err == nil {
			fmt.Println("accepted", claims["sub"])
		} else {
			fmt.Println("refused", strings.Join(strings.Fields(err.Error()), " "))
		}
	}
}
