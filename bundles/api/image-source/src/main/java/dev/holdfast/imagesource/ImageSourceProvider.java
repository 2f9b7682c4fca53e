package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A way of getting images. Register an implementation as an OSGi service; the platform finds it by
 * {@link #name()}, which is what {@code BackingImage.spec.sourceType} says. Implementations are
 * thread-safe.
 */
@ConsumerType
public interface ImageSourceProvider {

  /** Returns the value of {@code spec.sourceType} that selects this source, never null. */
  String name();

  /**
   * Returns the parameters that a request may have. The platform rejects a request with another
   * one, or without a required one.
   *
   * @return never null, always the same
   */
  List<SourceParameter> parameters();

  /**
   * Returns whether the source takes bytes that a client sends. The platform then begins a transfer
   * when a client sends a body, and {@link ImageRequest#body()} has it; such a transfer is not
   * tried again, because its bytes are gone.
   */
  boolean takesBody();

  /**
   * Prepares a transfer. Does not connect to anything.
   *
   * @param request what is wanted; its parameters are declared ones, not null
   * @return the transfer, never null; the caller closes it
   * @throws StorageException INVALID when a parameter has a wrong value; the message names the
   *     parameter, the value and the remedy
   */
  ImageTransfer begin(ImageRequest request) throws StorageException;
}
