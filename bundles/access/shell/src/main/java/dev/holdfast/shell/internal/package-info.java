/** The user commands in the Karaf shell: {@code holdfast:volume-create} and the others. */
@Header(name = "Karaf-Commands", value = "dev.holdfast.shell.internal")
package dev.holdfast.shell.internal;

import org.osgi.annotation.bundle.Header;
