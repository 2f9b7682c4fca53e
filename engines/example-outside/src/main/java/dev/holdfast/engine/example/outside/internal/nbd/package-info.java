/** Client of an NBD server behind a UNIX socket, as a device. */
package dev.holdfast.engine.example.outside.internal.nbd;
