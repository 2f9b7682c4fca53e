/** NVMe/TCP on real sockets: queues of hosts, their commands, and the pages of controllers. */
package dev.holdfast.engine.spdk.simulator.internal.tcp;
