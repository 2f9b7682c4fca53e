/**
 * The engine SPI: how a volume's bytes are kept. A plugin implements {@link
 * dev.holdfast.engine.EngineProvider}.
 */
@Export
@Version("2.2.0")
package dev.holdfast.engine;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
