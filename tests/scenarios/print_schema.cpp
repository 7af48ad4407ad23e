#include <iostream>

#include "scenarios/schema/schema.hpp"

// For schema_agreement.py.
int main() { std::cout << stallcast::scenarios::schema(); }
