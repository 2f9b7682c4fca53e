package dev.holdfast.portal.internal.transport;

/**
 * Reports that the portal's share of direct memory is in use, and no buffer became free in time.
 */
public final class OutOfBuffersException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  OutOfBuffersException(String message, Throwable cause) {
    super(message, cause);
  }
}
