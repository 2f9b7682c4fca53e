/** A client's connection, the slot of its session, and the frontends of sessions. */
package dev.holdfast.portal.internal.session;
