#include <iostream>

#include "scenarios/load.hpp"

// For schema_agreement.py.
int main() { std::cout << stallcast::scenarios::schema(); }
