/**
 * The engine SPI: storage of a volume's bytes. A plugin implements {@link
 * dev.holdfast.engine.EngineProvider}.
 */
@Export
@Version("2.2.0")
package dev.holdfast.engine;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
