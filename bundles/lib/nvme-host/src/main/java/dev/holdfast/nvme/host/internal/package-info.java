/** Queues, commands and PDUs of a host of NVMe/TCP. */
package dev.holdfast.nvme.host.internal;
