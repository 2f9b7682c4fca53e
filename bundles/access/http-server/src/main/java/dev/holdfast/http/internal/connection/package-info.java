/** Connections of clients: how many, how TLS begins, and which HTTP they speak. */
package dev.holdfast.http.internal.connection;
