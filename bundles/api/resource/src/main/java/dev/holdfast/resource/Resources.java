package dev.holdfast.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Checks of a resource that every store makes before a write. */
public final class Resources {
  private static final Pattern LABEL_VALUE =
      Pattern.compile("|[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
  private static final Pattern LABEL_KEY =
      Pattern.compile("([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
  private static final int MAX_ANNOTATIONS = 256 * 1024;

  private Resources() {}

  /**
   * Checks a new resource.
   *
   * @throws InvalidResourceException with every invalid field
   */
  public static <R extends Resource<R>> void requireValid(R resource)
      throws InvalidResourceException {
    List<FieldError> errors = new ArrayList<>(metadataErrors(resource.metadata()));
    errors.addAll(resource.validate());
    throwIfAny(resource, errors);
  }

  /**
   * Checks a new version of a resource. An unchanged spec is not validated again, so that resources
   * which an earlier release accepted can still be labelled, lose their finalizers and be deleted.
   *
   * @throws InvalidResourceException with every field that is invalid or must not change
   */
  public static <R extends Resource<R>> void requireValidChange(R resource, R earlier)
      throws InvalidResourceException {
    List<FieldError> errors = new ArrayList<>(metadataErrors(resource.metadata()));
    if (!resource.spec().equals(earlier.spec())) {
      errors.addAll(resource.validate());
    }
    errors.addAll(resource.validateChange(earlier));
    throwIfAny(resource, errors);
  }

  private static void throwIfAny(Resource<?> resource, List<FieldError> errors)
      throws InvalidResourceException {
    if (!errors.isEmpty()) {
      throw new InvalidResourceException(resource.resourceKind(), resource.name(), errors);
    }
  }

  private static List<FieldError> metadataErrors(ObjectMeta metadata) {
    Checks checks = new Checks().name(metadata.name(), "metadata.name");
    for (Map.Entry<String, String> label : metadata.labels().entrySet()) {
      checks
          .that(
              LABEL_KEY.matcher(label.getKey()).matches(),
              "metadata.labels",
              label.getKey(),
              "must be a label key: an optional DNS prefix and '/', then at most 63 letters,"
                  + " digits, '-', '_' and '.'")
          .that(
              LABEL_VALUE.matcher(label.getValue()).matches(),
              "metadata.labels[" + label.getKey() + "]",
              label.getValue(),
              "must be a label value: at most 63 letters, digits, '-', '_' and '.'");
    }
    int annotations =
        metadata.annotations().entrySet().stream()
            .mapToInt(a -> a.getKey().length() + a.getValue().length())
            .sum();
    checks.that(
        annotations <= MAX_ANNOTATIONS,
        "metadata.annotations",
        annotations + " characters",
        "must be at most " + MAX_ANNOTATIONS + " characters in all");
    return checks.errors();
  }
}
