# SPDX-License-Identifier: GPL-2.0
# make            build soro.ko (KDIR=... for another kernel's headers)
# make install    install the module for that kernel
# make demo       see real programs run over soro, in a virtual machine
# make check      all tests
# make check-all  the long ones, hours; goes on where it was interrupted (SHARD=name: one part)
# make fuzz       fuzz the protocol code, FUZZ_SECONDS for each target
# make bench      instructions per byte and message, beside rdma_rxe and TCP (JSON=file keeps them)
KDIR ?= /lib/modules/$(shell uname -r)/build

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install
	depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) $$(modinfo -F vermagic soro.ko | cut -d ' ' -f 1)

demo:
	tools/lab/demo

check:
	tools/lab/check

check-all:
	SHARD='$(SHARD)' SEED='$(SEED)' tools/lab/check-all

fuzz:
	$(MAKE) -C tools/userspace fuzz

bench:
	tools/bench/run $(if $(JSON),--json $(JSON))

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

.PHONY: modules install demo check check-all fuzz bench clean
