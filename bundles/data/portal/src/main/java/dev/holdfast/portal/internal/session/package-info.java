/** A client's connection, the place of its session, and the frontends that sessions belong to. */
package dev.holdfast.portal.internal.session;
