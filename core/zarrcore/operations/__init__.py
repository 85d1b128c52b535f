"""Operations on whole hierarchies: copy and check."""
