package main

import (
	"log"
	"net/http"

	"example.com/shop/age"
)

func main() {
	log.Fatal(http.ListenAndServe("localhost:3000", age.Handler()))
}
