package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A source of images. Register an implementation as an OSGi service; {@code
 * BackingImage.spec.sourceType} selects it by its {@link #name()}. Implementations are thread-safe.
 */
@ConsumerType
public interface ImageSourceProvider {

  /** Returns the value of {@code spec.sourceType} that selects this source, never null. */
  String name();

  /**
   * Returns the permitted parameters. The platform rejects a request with an unknown parameter, or
   * without a required one.
   *
   * @return never null, constant
   */
  List<SourceParameter> parameters();

  /**
   * Returns whether the source reads bytes from a client. The platform then starts a transfer when
   * a client sends a body, which {@link ImageRequest#body()} contains. Such a transfer is not
   * repeated, because its bytes are lost.
   */
  boolean takesBody();

  /**
   * Prepares a transfer without connections.
   *
   * @param request the wanted image with declared parameters only, not null
   * @return the transfer, never null; the caller closes it
   * @throws StorageException INVALID when a parameter has an invalid value; the message names the
   *     parameter, the value and the remedy
   */
  ImageTransfer begin(ImageRequest request) throws StorageException;
}
