// SPDX-License-Identifier: GPL-2.0
/* The module around the unit tests; each *_test.c registers its own suite. */
#include <linux/module.h>

MODULE_DESCRIPTION("Unit tests of soro's pure layers");
MODULE_LICENSE("GPL");
