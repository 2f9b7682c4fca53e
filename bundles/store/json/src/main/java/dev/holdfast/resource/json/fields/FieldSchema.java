package dev.holdfast.resource.json.fields;

import dev.holdfast.resource.FieldsV1;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Form of a resource's fields: which of them can be managed individually. */
sealed interface FieldSchema {
  /** One value, managed as a whole: scalars, and lists without a declared form. */
  record Leaf() implements FieldSchema {}

  /**
   * An object with fields of known names.
   *
   * @param fields by name
   * @param optional whether the object itself may be absent
   */
  record Struct(Map<String, FieldSchema> fields, boolean optional) implements FieldSchema {}

  /** An object with keys that users choose. */
  record Entries(FieldSchema value) implements FieldSchema {}

  /** A list of objects that one of their fields identifies. */
  record KeyedList(String key, FieldSchema item) implements FieldSchema {}

  /** A list of unique values. */
  record ValueSet() implements FieldSchema {}

  /** The only leaf. */
  FieldSchema LEAF = new Leaf();

  /** Returns the schema of a kind's metadata and spec; a status is never applied. */
  static FieldSchema of(ResourceKind<?> kind) {
    Map<String, FieldSchema> parts = new LinkedHashMap<>();
    for (RecordComponent part : kind.type().getRecordComponents()) {
      if (part.getType() == ObjectMeta.class) {
        parts.put(part.getName(), metadata());
      } else if (part.getName().equals("spec")) {
        parts.put(part.getName(), of(part.getGenericType()));
      }
    }
    return new Struct(parts, false);
  }

  private static FieldSchema metadata() {
    FieldSchema owner = of(dev.holdfast.resource.OwnerReference.class);
    return new Struct(
        Map.of(
            "labels",
            new Entries(LEAF),
            "annotations",
            new Entries(LEAF),
            "finalizers",
            new ValueSet(),
            "ownerReferences",
            new KeyedList("uid", owner)),
        false);
  }

  private static FieldSchema of(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      Class<?> raw = (Class<?>) parameterized.getRawType();
      Type[] arguments = parameterized.getActualTypeArguments();
      if (raw == Optional.class) {
        return of(arguments[0]) instanceof Struct struct ? new Struct(struct.fields(), true) : LEAF;
      } else if (raw == Map.class) {
        return new Entries(of(arguments[1]));
      } else if (raw == List.class) {
        return LEAF;
      }
      throw new IllegalArgumentException(type + " has no managed form");
    }
    Class<?> raw = (Class<?>) type;
    if (!raw.isRecord() || raw == Quantity.class || raw == FieldsV1.class) {
      return LEAF;
    }
    Map<String, FieldSchema> fields = new LinkedHashMap<>();
    for (RecordComponent part : raw.getRecordComponents()) {
      fields.put(part.getName(), of(part.getGenericType()));
    }
    return new Struct(fields, false);
  }
}
