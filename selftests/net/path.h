/* SPDX-License-Identifier: GPL-2.0 */
/*
 * soro_path: what its files share.
 */
#ifndef SORO_NET_PATH_H
#define SORO_NET_PATH_H

#include <stdbool.h>

/** watch_open() - collect RoCEv2 frames on a netdev; Return: false after a message */
bool watch_open(const char *netdev);

/** watch_collect() - read what came since, so that the socket does not overflow */
void watch_collect(void);

/** watch_print() - one line for each kind of frame, with how many there were */
void watch_print(void);

/**
 * watch_resend() - send a request again that this host sent before
 * @spec: VID[,SADDR,DADDR]: VLAN, 0 for no tag; other IPv4 addresses
 *
 * Return: false after a message.
 */
bool watch_resend(const char *spec);

#endif
