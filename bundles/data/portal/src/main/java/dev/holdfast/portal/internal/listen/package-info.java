/** One listener per frontend: its socket, its exports and its TLS mode. */
package dev.holdfast.portal.internal.listen;
