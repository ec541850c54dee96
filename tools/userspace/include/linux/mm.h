/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/mm.h>: a mapping counts its pages. */
#ifndef SORO_USER_LINUX_MM_H
#define SORO_USER_LINUX_MM_H

#include <linux/math.h>
#include <linux/types.h>

#define PAGE_SIZE	4096UL
#define PAGE_ALIGN(n)	round_up(n, PAGE_SIZE)
#define VM_EXEC		0x4

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_pgoff;
	unsigned long vm_flags;
};

struct page;

static inline struct page *vmalloc_to_page(const void *addr)
{
	return (struct page *)addr;
}

int vm_insert_page(struct vm_area_struct *vma, unsigned long addr, struct page *page);

#endif
