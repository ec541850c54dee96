/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands in for the setup_udp_tunnel_sock() of 7.x, which takes a struct sock;
 * before it took a struct socket. Asks the prototype, not the version.
 */
#ifndef SORO_COMPAT_NET_UDP_TUNNEL_H
#define SORO_COMPAT_NET_UDP_TUNNEL_H

#include_next <net/udp_tunnel.h>

#define setup_udp_tunnel_sock(net, sk, cfg)					\
	(setup_udp_tunnel_sock)(net,						\
		_Generic(&(setup_udp_tunnel_sock),				\
			 void (*)(struct net *, struct socket *,		\
				  struct udp_tunnel_sock_cfg *): (sk)->sk_socket, \
			 default: (sk)),					\
		cfg)

#endif
