module recipe

go 1.22
