"""Operations on whole hierarchies: copy, check, compare, measure."""
