/** One listener for each frontend: its socket, its exports and the setting of its TLS. */
package dev.holdfast.portal.internal.listen;
